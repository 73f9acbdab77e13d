// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTexts
import LatchUI
import Testing

@Suite struct ScreenFailureTests {
    private struct Foreign: Error, CustomStringConvertible {
        var description: String { "SELECT * FROM users" }
    }

    private static let errors: [(any Error & Sendable, ScreenFailure.Reason)] = [
        (AccountError.wrongCredentials, .wrongCredentials), (AccountError.wrongCode, .wrongCode),
        (AccountError.secondFactorRequired, .codeRequired), (AccountError.emailTaken, .taken),
        (AccountError.invalidEmail, .invalidEmail), (AccountError.tooManyAttempts, .locked),
        (AccountError.refused, .refused), (AccountError.serverFailed, .serverFailed),
        (AccountError(code: "refused", message: "", serverCode: "weakPassword"), .weakPassword),
        (AccountError(code: "refused", message: "", serverCode: "accountSuspended"), .suspended),
        (AccountError(code: "refused", message: "", serverCode: "emailUnverified"), .emailUnverified),
        (AccountError(code: "refused", message: "", serverCode: "termsRequired"), .termsRequired),
        (AccountError(code: "refused", message: "", serverCode: "passwordExpired"), .passwordExpired),
        (AccountError(code: "refused", message: "", status: HTTPStatus(rawValue: 426)), .clientTooOld),
        (AccountError(code: "refused", message: "", serverCode: "invalidLink"), .invalidLink),
        (AccountError.passkeyCancelled, .cancelled), (AccountError.noPasskey, .noPasskey),
        (AccountError.passkeyExists, .passkeyExists), (AccountError.passkeyRefused, .passkeyRefused),
        (AccountError.passkeysUnavailable, .passkeysUnavailable), (AccountError.lastSignInMethod, .lastSignInMethod),
        (HTTPError.offline, .offline), (HTTPError.timeout, .offline), (HTTPError.tls, .insecure),
        (HTTPError.cancelled, .cancelled), (HTTPError.tooLarge, .serverFailed),
        (AuthError.missingToken, .signedOut), (AuthError.reauthenticationRequired, .signedOut),
        (AuthError.stepUpRequired, .stepUpRequired), (AuthError.storeLocked, .storeUnavailable),
        (AuthError.refreshFailed.caused(by: HTTPError.offline), .offline), (AuthError.unknownAccount, .missing),
        (OAuthError.cancelled, .cancelled), (OAuthError.signInTimedOut, .expired),
        (OAuthError.browserUnavailable, .browserUnavailable), (OAuthError.tooManyRequests, .locked),
        (OAuthError(code: "refused", message: "", issuerCode: "account_suspended"), .suspended),
        (OAuthError(code: "refused", message: "", issuerCode: "email_unverified"), .emailUnverified),
        (CancellationError(), .cancelled), (Foreign(), .unknown),
    ]

    @Test(arguments: errors.indices) func `A failure shown to users has one reason for each error`(index: Int) {
        let (error, reason) = Self.errors[index]
        expectEqual(ScreenFailure(error).reason, reason, "\(error)")
    }

    @Test func `A failure shown to users has nothing of a foreign error, or of a message for developers`() {
        let texts = Texts(languages: ["en"])
        #expect(!texts(ScreenFailure(Foreign()).phrase).contains("SELECT"))
        #expect(!texts(ScreenFailure(AccountError(code: "refused", message: "SELECT")).phrase).contains("SELECT"))
    }

    @Test func `A failure shown to users has the server's words for an unknown error, and keeps it for logs`() throws {
        let texts = Texts(languages: ["en"])
        let unknown = AccountError(
            code: "refused", message: "", serverMessage: "Your account waits for approval.",
            serverCode: "approvalPending")
        let failure = ScreenFailure(unknown)
        #expect(texts(failure.phrase).contains("Your account waits for approval."))
        expectEqual(failure.serverCode, "approvalPending")
        expectEqual((failure.error as? AccountError)?.serverMessage, "Your account waits for approval.")
        #expect(!String(reflecting: failure).contains("approval"))
        let known = AccountError(
            code: "refused", message: "", serverMessage: "Zugriff verweigert", serverCode: "accountSuspended")
        expectEqual(ScreenFailure(known).phrase, Phrase("failure.suspended"))
    }

    @Test(arguments: [
        (1, "1 second"), (30, "30 seconds"), (89, "89 seconds"), (90, "2 minutes"), (3_600, "60 minutes"),
        (5_400, "2 hours"), (86_400, "24 hours"), (31_622_400, "tomorrow or later"),
    ])
    func `A failure shown to users states when another attempt can succeed`(seconds: Int, text: String) {
        let now = Date(timeIntervalSince1970: 0)
        let error = AccountError(code: "tooManyAttempts", message: "", retryAfter: .seconds(seconds))
        let failure = ScreenFailure(error, at: now)
        expectEqual(failure.retryDate, now.addingTimeInterval(TimeInterval(seconds)))
        #expect(Texts(languages: ["en"])(failure.phrase).contains(" \(text)."))
    }
}

@Suite struct MailLinkTests {
    @Test(arguments: [
        "https://id.example.com/verify?token=aB-_9", "myapp://verify?token=aB-_9",
        "https://a/b/verify?x=1&token=aB-_9#f",
    ])
    func `A link of a mail is read from a URL`(text: String) throws {
        let link = try #require(URL(string: text).flatMap(ScreenLink.init))
        expectEqual(link, ScreenLink(.verifyEmail, token: "aB-_9"))
        #expect(!"\(link) \(String(reflecting: link))".contains("aB-_9"))
    }

    @Test(arguments: [
        "https://id.example.com/reset?token=a", "HTTPS://ID.example.com:443/reset?token=a",
        "https://example.com/auth/reset?token=a", "notes://reset?token=a", "Notes:///reset/?token=a",
    ])
    func `A link of a mail is accepted below the app's URLs`(text: String) throws {
        let link = ScreenLink(try #require(URL(string: text)), below: bases)
        expectEqual(link, ScreenLink(.resetPassword, token: "a"))
    }

    @Test(arguments: [
        "https://shop.example/orders/42/reset?token=a", "https://id.example.com/game/reset?token=a",
        "file:///etc/reset?token=a", "https://evil.example/reset?token=a", "http://id.example.com/reset?token=a",
        "https://id.example.com@evil.example/reset?token=a", "notes://game/reset?token=a", "other://reset?token=a",
        "https://example.com/reset?token=a", "https://id.example.com:8443/reset?token=a",
    ])
    func `A link of a mail is refused from elsewhere`(text: String) throws {
        expectNil(ScreenLink(try #require(URL(string: text)), below: bases))
    }

    private let bases = ["https://id.example.com", "https://example.com/auth/", "notes://"].compactMap(
        URL.init(string:))

    @Test(arguments: [
        "https://id.example.com/verify", "https://id.example.com/verify?token=", "https://id.example.com/other?token=a",
        "https://id.example.com/verify?token=a%20b", "https://id.example.com/verify?untoken=a",
    ])
    func `A link of a mail in any other form is refused`(text: String) throws {
        expectNil(ScreenLink(try #require(URL(string: text))))
    }
}
