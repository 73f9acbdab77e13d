// SPDX-License-Identifier: Apache-2.0
import LatchAuth
import LatchCrypto
import LatchHTTP
import LatchServer
import LatchSignIn

let store: KeychainTokenStore = placeholder()
let secret: String = placeholder()
let key: SymmetricKey = placeholder()
nonisolated(unsafe) var router: Router = placeholder()
let sessions: WebSessions = placeholder()

struct WebSessions: Sendable {
    func begin(for user: SignInRoutes.User) async throws -> HTTPResponse { HTTPResponse(status: .ok) }
}
