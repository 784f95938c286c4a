package handlers

// Unnamed lets tests ask which addresses the table of permits does not know.
var Unnamed = unnamed
