// SPDX-License-Identifier: Apache-2.0

// AuthPackage: the names of seed 002 over the core.
//
// For: programs that were written against AuthPackage. Each name is an alias or a thin adapter of LatchAccounts and
// LatchAuth; Documentation/Compatibility/AuthPackage.md tells where a behaviour differs and why.
// Must not hold: an engine of its own.
