// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchRPC
import LatchServer

/// The user service at `/userservice.v1.UserService/…`, over Connect and gRPC-Web, and gRPC where HTTP/2 stands in front.
struct CallRoutes: Sendable {
    private let service: RPCService

    init(_ parts: IdentityParts) {
        service = RPCService(UserCalls(parts: parts).rpcMethods, clock: parts.clock)
    }

    func add(to router: inout Router) {
        router.group(interceptors: [SignInOriginInterceptor()]) { calls in
            for route in service.routes { calls.on(route.method, route.pattern, handledBy: service) }
        }
    }
}
