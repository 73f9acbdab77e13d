// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP

/// The sign-out of all devices of a person, which Latchwork's own server offers.
enum EveryDevice {
    /// Asks the issuer to end all sessions of the account.
    ///
    /// - Throws: `CommandError.failed` where it does not say that it did.
    static func signOut(_ entry: AccountEntry, _ session: Session<Tokens>) async throws {
        let issuer = try IssuerURL(entry.issuer)
        let client = Client(
            baseURL: issuer.url, interceptors: [SessionInterceptor(session, for: .origin(issuer.origin))])
        var request = try client.request(.post, "auth/logout", body: HTTPBody(#"{"allDevices":true}"#))
        request.fields[.contentType] = "application/json"
        let response = try await client.respond(to: request)
        guard response.status.isSuccess, try JSONValue(parsing: response.body.bytes)["allDevices"] == true else {
            throw CommandError.failed(
                "\(entry.issuer) does not end the sessions of all devices.",
                hint: "'latch logout' alone ends that of this one.")
        }
    }
}
