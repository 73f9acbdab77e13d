// SPDX-License-Identifier: Apache-2.0

// LatchIdentity: the auth server as a value: accounts, sessions, tokens, mail, and the routes that show them.
//
// For: everything between an HTTP request that asks who somebody is and the durable row that says so. An `Identity` is
// assembled from a configuration, a store, a mailer, a clock and randomness, and gives one `Handler`, which a socket
// (LatchServer) or a test calls in the same way.
// Must not know: sockets, command lines, configuration files, clients. SQLite is reached only from Store/SQLite; what is
// above it speaks `IdentityStore`. No account of time or chance but the clock and randomness it was given.
// Where things are: Store (rows and the one writer), Tokens (what is issued), Passwords, SecondFactor, Mail, Limits, Accounts
// (what can be done, and by whom), Apps and Access (which app may ask for which tokens, and what they open), Routes (how it
// is asked for), Calls (the same as calls of userservice.v1), Generated (the contracts of those, as `latch generate` makes
// them), Operations (health and metrics).
