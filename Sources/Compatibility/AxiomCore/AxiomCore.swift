// SPDX-License-Identifier: Apache-2.0

// AxiomCore: the names of seed 000's core over LatchRPC: its errors, and what of them is shown to people.
//
// For: code that was written for the original, and the clients that are generated in its shape.
// Must not hold: an engine of its own.
