// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchRPC
package import LatchServer

extension UserServiceHandler {
    package init(_ services: IdentityServices) {
        self.init(
            configuration: services.configuration, store: services.store, clock: services.clock,
            pepper: services.pepper, recentAuthentication: services.recentAuthentication, accounts: services.accounts,
            administration: services.administration, signIns: services.signIns,
            secondFactors: services.secondFactors, tokens: services.tokens)
    }
}

extension Router {
    /// Adds the user service at `/userservice.v1.UserService/…`: Connect, gRPC-Web and gRPC.
    package mutating func addUserService(
        _ handler: UserServiceHandler, admission: UserServiceAdmission, clock: WallClock
    ) {
        var service = RPCService(
            handler.rpcMethods, clock: clock,
            admission: { try await admission.admit(&$0) }, onFailure: { $1.noteFailure($0) })
        // Without an access token, the limits of a call are those of the JSON routes.
        service.contentPolicy.limits = UserServiceAdmission.contentLimits(
            callBytes: service.contentLimits[UserServiceAdmission.callPath] ?? 0)
        group(interceptors: [RequestOriginInterceptor()]) { group in
            group.on(service.routes, handledBy: service)
        }
    }
}

enum RequestOriginKey: HTTPContextKey {
    static var defaultValue: RequestOrigin { RequestOrigin(address: RequestOrigin.inProcess, userAgent: nil) }
}

/// An interceptor that passes on the origin of a request, and keeps responses out of caches.
///
/// Responses contain tokens and personal data (RFC 6749 §5.1).
struct RequestOriginInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        request.context[RequestOriginKey.self] = request.requestOrigin
        var response = try await next.respond(to: request)
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
