// SPDX-License-Identifier: Apache-2.0

#if os(tvOS) || os(visionOS)
import AuthenticationServices

extension ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
    /// Excludes nothing, since this platform cannot: the server refuses a credential that it has.
    func exclude(_ ids: [[UInt8]]) {}
}
#endif
