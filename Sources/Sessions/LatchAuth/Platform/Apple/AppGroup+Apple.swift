// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(macOS)

/// Returns true: without an entitlement for the group, the system returns no container.
func isEntitled(toAppGroup group: String) -> Bool { true }
#endif
