"""What a run will take, before it is started: requests, tokens, hours, money."""
