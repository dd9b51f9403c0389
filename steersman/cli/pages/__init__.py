"""What `steer describe` shows of the kinds that people look at most, laid out as kubectl does.

Pure, but for `around.read`, which asks for what a page tells beside the object itself.
"""
