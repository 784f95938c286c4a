// Package postgres runs PostgreSQL servers of our own: the private, durable
// cluster in the data folder and throw-away clusters for tests. It knows
// processes, folders and sockets; it must not know GORM, tables or the domain.
package postgres
