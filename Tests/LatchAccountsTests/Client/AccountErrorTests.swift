// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Testing

@testable import LatchAccounts

@Suite struct AccountErrorTests {
    func error(_ status: Int, _ body: String = "", fields: HTTPFields = [:]) -> AccountError {
        AccountError(HTTPResponse(status: HTTPStatus(rawValue: status), fields: fields, body: HTTPBody(body)))
    }

    @Test(
        arguments: [
            (400, .refused), (401, .refused), (403, .refused), (404, .refused), (409, .emailTaken), (410, .refused),
            (422, .refused), (429, .tooManyAttempts), (499, .refused), (500, .serverFailed), (503, .serverFailed),
            (599, .serverFailed), (302, .refused),
        ] as [(Int, AccountError)])
    func `A refusal of an account backend has the code of its status, and keeps the status`(
        status: Int, kind: AccountError
    ) {
        let error = error(status)
        expectEqual(error.code, kind.code)
        expectEqual(error.status?.rawValue, status)
        expectEqual(error.message, kind.message)
        expectNil(error.serverMessage)
    }

    @Test func `A refusal of an account backend concerns the credentials only if they were requested`() {
        let response = HTTPResponse(status: .unauthorized)
        expectEqual(AccountError(response, unauthorized: .wrongCredentials).code, "wrongCredentials")
        expectEqual(AccountError(response).code, "refused")
        expectEqual(AccountError(HTTPResponse(status: .conflict), unauthorized: .wrongCredentials).code, "emailTaken")
    }

    @Test(arguments: [
        (#"{"message":"m","detail":"d","error":"e"}"#, "m"), (#"{"detail":"d","error":"e"}"#, "d"),
        (#"{"error_description":"x","error":"e"}"#, "x"), (#"{"error":"e"}"#, "e"),
        (#"{"message":7,"error":"e"}"#, "e"), (#"{"message":null,"detail":"d"}"#, "d"),
    ])
    func `A refusal of an account backend shows the server's message from the first field that has one`(
        body: String, said: String
    ) {
        let error = error(400, body)
        expectEqual(error.serverMessage, said)
        expectEqual(error.message, "The server refused the request. (\(said))")
    }

    @Test(arguments: [
        (400, #"{"code":"invalidEmail","message":"m"}"#), (422, #"{"error_code":"INVALID_EMAIL"}"#),
        (400, #"{"error":"invalid_email"}"#),
    ])
    func `A refusal of an account backend concerns the address if the server says so`(status: Int, body: String) {
        expectEqual(error(status, body).code, "invalidEmail")
        expectEqual(error(403, body).code, "refused")
        expectEqual(error(status, #"{"message":"invalid email"}"#).code, "refused")
    }

    @Test(arguments: ["", "{}", "[]", #""text""#, "<html>stack trace</html>", #"{"message":""}"#, #"{"message":{}}"#])
    func `A refusal of an account backend adds no message if the server has none for people`(body: String) {
        expectNil(error(400, body).serverMessage)
    }

    @Test func `A refusal of an account backend shows neither control characters nor tokens of a server's message`() {
        expectEqual(error(400, #"{"message":"no\u001b[31m\n\u202ewrong"}"#).serverMessage, "no[31mwrong")
        expectNil(error(400, #"{"message":"bad token eyJhbGciOiJub25lIn0"}"#).serverMessage)
    }

    @Test func `A refusal of an account backend reads plain text, and shortens long messages`() {
        let text: HTTPFields = [.contentType: "Text/Plain; charset=utf-8"]
        expectEqual(error(400, "no", fields: text).serverMessage, "no")
        expectEqual(error(400, String(repeating: "é", count: 5_000), fields: text).serverMessage?.count, 200)
    }

    @Test(
        arguments: [
            ("0", .seconds(0)), ("120", .seconds(120)), ("-5", nil), ("+5", nil), ("1.5", nil), ("", nil),
            ("soon", nil), ("Fri, 31 Dec 1999 23:59:59 GMT", .zero), ("99999999999999999999", .seconds(31_622_400)),
        ] as [(String, Duration?)])
    func `A refusal of an account backend asks for a reasonable wait`(field: String, delay: Duration?) {
        expectEqual(error(429, fields: [.retryAfter: field]).retryAfter, delay)
    }
}
