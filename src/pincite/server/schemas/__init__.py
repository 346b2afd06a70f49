"""What requests and answers look like, a file per noun."""
