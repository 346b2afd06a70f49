"""The HTTP door: translates requests to service calls and events to streams; decides nothing."""
