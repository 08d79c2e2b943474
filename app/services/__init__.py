"""What the service does, told without HTTP: routes and the command line both call this."""
