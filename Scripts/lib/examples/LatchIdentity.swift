// SPDX-License-Identifier: Apache-2.0
import LatchHTTP
import LatchIdentity
import LatchServer

let identity: Identity = placeholder()
let configuration: IdentityConfiguration = placeholder()
let mailer: any Mailer = placeholder()
nonisolated(unsafe) var router: Router = placeholder()

func upload(_ request: HTTPRequest, of account: String?) async throws -> HTTPResponse { placeholder() }
