// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP

/// The server's response to a new phone number, which verifies the number together with the code of the text message.
///
/// Its description is redacted.
public struct PhoneNumberChallenge: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The number that gets the text message.
    public let number: String
    /// The date by this device's clock after which the code has expired.
    public let expiryDate: Date
    /// The text that the server expects with the code.
    let token: String

    /// A redacted description.
    public var description: String { "PhoneNumberChallenge(<redacted>)" }
    /// A mirror that shows only the expiry.
    public var customMirror: Mirror { Mirror(self, children: ["expiryDate": expiryDate]) }
}

extension AuthClient {
    /// Requests a text message with the code that verifies a phone number of the signed-in user.
    ///
    /// ```swift
    /// let challenge = try await auth.beginPhoneNumber("+49 30 123456")
    /// let account = try await auth.completePhoneNumber(challenge, code: readLine() ?? "")
    /// ```
    ///
    /// The account keeps its number until the new one is verified.
    ///
    /// - Parameter number: The number with + and the country code, as the user types it.
    /// - Throws: `AccountError.refused` with the server's code `invalidPhone` for a number that it does not accept;
    ///   `tooManyAttempts`, or `serverFailed` if the message cannot be sent now. `notSupported` if the server verifies no
    ///   numbers. `AuthError.stepUpRequired` where a recent authentication is required.
    public func beginPhoneNumber(_ number: String) async throws -> PhoneNumberChallenge {
        let response = try await send(endpoints.phone, ["phone": .string(number)], over: client)
        guard response.status != .notFound else { throw AccountError.notSupported }
        let (token, end) = try challenge(in: response)
        return PhoneNumberChallenge(number: number, expiryDate: end, token: token)
    }

    /// Verifies a phone number by the code of the text message.
    ///
    /// - Returns: The account with the number.
    /// - Throws: `AccountError.wrongMailedCode`, after which the user can try again; `mailedCodeExpired`,
    ///   `tooManyAttempts`, …
    @discardableResult
    public func completePhoneNumber(_ challenge: PhoneNumberChallenge, code: String) async throws -> Account {
        try account(
            in: try await send(
                "\(endpoints.phone)/verify", ["challenge": .string(challenge.token), "code": .string(code)],
                over: client))
    }

    /// Removes the phone number of the signed-in user.
    ///
    /// - Throws: `AuthError.stepUpRequired` where a recent authentication is required.
    public func removePhoneNumber() async throws {
        let request = try client.request(
            .delete, RoutePath(endpoints.phone), fields: [.accept: "application/json"])
        let response = try await client.respond(to: request)
        guard response.status.isSuccess else { throw AccountError(response, conflict: .refused) }
    }
}
