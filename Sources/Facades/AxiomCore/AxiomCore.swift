// SPDX-License-Identifier: Apache-2.0

// AxiomCore: the names of seed 000's core over LatchRPC. No engine of its own.
