// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
/// Returns true: Apple's systems do not limit a user or a container to a few threads.
func canStartThreads(_ count: Int) -> Bool { true }
#endif
