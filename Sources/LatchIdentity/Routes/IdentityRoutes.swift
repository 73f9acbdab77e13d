// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer

/// All routes of the server.
struct IdentityRoutes {
    let router: Router

    init(_ parts: IdentityParts) {
        var router = Router(interceptors: [RequestIDInterceptor(), IdentityErrorInterceptor()])
        SignInRoutes(parts).add(to: &router)
        AccountRoutes(parts).add(to: &router)
        PageRoutes(parts).add(to: &router)
        OperationRoutes(parts).add(to: &router)
        self.router = router
    }
}
