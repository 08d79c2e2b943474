"""What the service tells about itself: logs and metrics."""
