// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer

/// The router of the server.
struct IdentityRoutes {
    let router: Router

    /// Creates the routes; the request id is the outermost interceptor, so that failures carry it as well.
    init(_ dependencies: Dependencies) {
        var router = Router(interceptors: [RequestIDInterceptor(), IdentityErrorInterceptor()])
        CookieSessionRoutes(dependencies).add(to: &router)
        AccountRoutes(dependencies).add(to: &router)
        TokenRoutes(dependencies).add(to: &router)
        AppSessionRoutes(dependencies).add(to: &router)
        if dependencies.configuration.hasSampleResource { SampleRoutes(dependencies).add(to: &router) }
        if dependencies.configuration.hasUserService { RPCRoutes(dependencies).add(to: &router) }
        PageRoutes(dependencies).add(to: &router)
        MetadataRoutes(dependencies).add(to: &router)
        OperationRoutes(dependencies).add(to: &router)
        self.router = router
    }
}
