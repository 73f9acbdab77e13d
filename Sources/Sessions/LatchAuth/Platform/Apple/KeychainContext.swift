// SPDX-License-Identifier: Apache-2.0

#if canImport(LocalAuthentication) && !os(tvOS)
import Foundation
import LocalAuthentication
import Security

/// The user's authentication for the items of one store, which is reused while it is valid.
///
/// An authenticated context opens further items without asking again (documentation of `kSecUseAuthenticationContext`).
final class KeychainContext: @unchecked Sendable {  // It is used only on the store's queue.
    private let authentication: KeychainAuthentication
    /// The context of the last access, with the time of its creation.
    private var current: (context: LAContext, start: ContinuousClock.Instant)?

    init(_ authentication: KeychainAuthentication) { self.authentication = authentication }

    /// Returns the terms of a query that may ask the user.
    func terms() -> [CFString: Any] { [kSecUseAuthenticationContext: context()] }

    /// Returns the terms of a query that must not ask the user.
    func silentTerms() -> [CFString: Any] {
        let context = LAContext()
        context.interactionNotAllowed = true
        return [kSecUseAuthenticationContext: context]
    }

    /// Throws if this device has no passcode, because such items require one.
    func requirePasscode() throws(AuthError) {
        var failure: NSError?
        guard !LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: &failure),
            let failure, failure.domain == LAError.errorDomain, failure.code == LAError.Code.passcodeNotSet.rawValue
        else { return }
        throw KeychainStatus.passcodeMissing
    }

    private func context() -> LAContext {
        if let current, current.start.duration(to: .now) < authentication.validity { return current.context }
        current?.context.invalidate()
        let context = LAContext()
        if let reason = authentication.reason { context.localizedReason = reason }
        context.interactionNotAllowed = !authentication.allowsInteraction
        current = (context, .now)
        return context
    }
}
#endif
