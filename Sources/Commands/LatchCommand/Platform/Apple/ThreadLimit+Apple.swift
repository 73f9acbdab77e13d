// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
/// Returns true: no user and no container of Apple's systems is limited to a few threads.
func canStartThreads(_ count: Int) -> Bool { true }
#endif
