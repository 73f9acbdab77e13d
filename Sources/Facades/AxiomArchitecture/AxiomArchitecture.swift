// SPDX-License-Identifier: Apache-2.0

// AxiomArchitecture: the names of seed 000's clients and states over LatchRPC. No engine of its own.
