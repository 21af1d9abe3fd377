"""What a person looks at: the page of each table, and the front page of the report."""
