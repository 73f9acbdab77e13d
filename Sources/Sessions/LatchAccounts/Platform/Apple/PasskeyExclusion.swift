// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS)
import AuthenticationServices
import LatchFoundation

extension ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
    /// Excludes the account's existing credentials.
    func exclude(_ ids: [[UInt8]]) {
        excludedCredentials = ids.map { ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0)) }
    }
}
#endif
