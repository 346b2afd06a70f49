"""The door for jobs: takes them from the queue and has them done."""
