// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(macOS)

/// Returns true: for a group without an entitlement, the system returns no container.
func isEntitled(toAppGroup group: String) -> Bool { true }
#endif
