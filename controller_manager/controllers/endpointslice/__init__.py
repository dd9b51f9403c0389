"""EndpointSlices: of the pods behind Services, and mirrored from Endpoints that a user has written."""
