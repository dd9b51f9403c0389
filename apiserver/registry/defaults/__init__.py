"""What the server fills in where the user said nothing.

Pure functions from Struct to Struct; the very same object comes back where nothing was missing.
"""
