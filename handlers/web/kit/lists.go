package kit

// BesideRows is how many rows a list beside a record shows.
const BesideRows = 10
