package report

// LateQuery reads arrears, for tests of its plan.
var LateQuery = lateQuery
