// SPDX-License-Identifier: Apache-2.0

// LatchCommand: what every command line of this package is made of.
//
// For: verbs, flags and operands as values; the parser that reads a call by them, the help that is written from them; the
// world that a verb is given (environment, streams, signals), and how errors are told.
// Must not know: what any verb does. The programs bring their verbs along.
