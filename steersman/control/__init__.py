"""The control loop, the same for our controllers and for anybody's operator: queue, loop, barrier, tracked writes."""
