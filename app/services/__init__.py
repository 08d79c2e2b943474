"""The operations of the service, independent of HTTP. Routes and the command line call them."""
