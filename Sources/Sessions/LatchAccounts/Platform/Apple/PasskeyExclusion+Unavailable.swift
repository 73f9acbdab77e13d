// SPDX-License-Identifier: Apache-2.0

#if os(tvOS) || os(visionOS)
import AuthenticationServices

extension ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
    /// Excludes nothing, because this platform cannot: the server refuses a credential that it already has.
    func exclude(_ ids: [[UInt8]]) {}
}
#endif
