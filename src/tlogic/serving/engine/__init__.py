"""What a service answers by: its world of events, its rules and models, and their versions."""
