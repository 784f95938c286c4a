package listing

// Rows lets a test explain what a walk reads.
var Rows = (*Walk).rows
