// SPDX-License-Identifier: Apache-2.0

// GeneratorCommands: the generator on a command line, for the two programs that have it, `latch` and
// `axiom-client-generator`, and for whoever speaks the Model Context Protocol with them.
//
// For: flags and their settings, reports for people and for scripts, waiting for changes, and the protocol's server.
// Must not know: how anything is generated or written (LatchGenerator), nor accounts, sessions or servers.
