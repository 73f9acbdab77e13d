// SPDX-License-Identifier: Apache-2.0
import LatchAuth
import LatchRPC

struct Profile: Sendable {}

struct GetProfileRequest: Sendable {
    var userId: String
}

struct UserServiceStub: Sendable {
    init(_ channel: RPCChannel) {}
    func getProfile(_ request: GetProfileRequest) async throws -> Profile { placeholder() }
}

let session: Session<Tokens> = placeholder()

protocol UserServiceServer: Sendable {
    var rpcMethods: [RPCMethodHandler] { get }
}
