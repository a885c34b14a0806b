"""Facts into what is published: the JSON contract of each command, and its outline for people."""
