package migrations

// Provider lets a test stop at a step.
var Provider = provider
