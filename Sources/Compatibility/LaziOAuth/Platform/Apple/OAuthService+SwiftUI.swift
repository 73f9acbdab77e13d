// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
public import Combine

// The document passes the service on by `@EnvironmentObject`, which requires this conformance. Observation tracks the
// reads of a view, so nothing has to be sent.
extension OAuthService: ObservableObject {}
#endif
