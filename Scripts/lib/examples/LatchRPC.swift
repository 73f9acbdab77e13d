// SPDX-License-Identifier: Apache-2.0
import LatchAuth
import LatchHTTP
import LatchRPC
import LatchServer

struct Feed {
    func watch(_ request: some Message) async throws -> RPCStream<User> { placeholder() }
    func upload(_ parts: RPCStream<User>) async throws -> User { placeholder() }
}

let session: Session<Tokens> = placeholder()
let url: String = placeholder()
let server: any UserServiceServer = placeholder()
let users: any UserServiceServer & UserServiceProtocol = placeholder()
let service: RPCService = placeholder()
let request: LoginRequest = placeholder()
let context: CallContext = placeholder()
let feed: Feed = placeholder()
let parts: [User] = placeholder()
nonisolated(unsafe) var router: Router = placeholder()
nonisolated(unsafe) var configuration: Server.Configuration = placeholder()

enum UserKey: HTTPContextKey { static var defaultValue: User? { nil } }
func verifiedUser(of authorization: String?) async throws -> User { placeholder() }
