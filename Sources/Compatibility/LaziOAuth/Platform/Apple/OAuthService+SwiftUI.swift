// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

// The document hands the service around by `@EnvironmentObject`, which asks for this conformance. What a view reads of
// it is tracked by Observation, so nothing has to be sent.
extension OAuthService: ObservableObject {}
#endif
