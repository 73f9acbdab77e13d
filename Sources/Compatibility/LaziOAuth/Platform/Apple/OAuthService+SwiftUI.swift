// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
public import Combine

// The original's guide passes the service by `@EnvironmentObject`, which requires this conformance. Observation tracks
// the reads of a view, so the object does not have to send changes.
extension OAuthService: ObservableObject {}
#endif
