// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer

/// All routes of the server.
struct IdentityRoutes {
    let router: Router

    /// The request's id is put around everything, so that a failure carries it as well.
    init(_ parts: IdentityParts) {
        var router = Router(interceptors: [RequestIDInterceptor(), IdentityErrorInterceptor()])
        SignInRoutes(parts).add(to: &router)
        AccountRoutes(parts).add(to: &router)
        TokenRoutes(parts).add(to: &router)
        AppSignInRoutes(parts).add(to: &router)
        if parts.configuration.hasSampleResource { SampleRoutes(parts).add(to: &router) }
        if parts.configuration.hasUserService { CallRoutes(parts).add(to: &router) }
        PageRoutes(parts).add(to: &router)
        MetadataRoutes(parts).add(to: &router)
        OperationRoutes(parts).add(to: &router)
        self.router = router
    }
}
