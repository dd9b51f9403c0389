"""What people see of objects: server-side printing, one row of cells per object, for both fronts.

`catalog.printer_of(kind)` says how a kind is shown; `tables` puts rows together into a Table.
"""
