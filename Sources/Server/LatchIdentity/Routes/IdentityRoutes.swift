// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer

extension Router {
    /// Creates the server's routes; the request id is the outermost interceptor, so that failures carry it as well.
    init(_ dependencies: Dependencies) {
        var interceptors: [any Interceptor] = [
            RequestIDInterceptor(), PageContextInterceptor(configuration: dependencies.configuration),
            RequestMetricsInterceptor(metrics: dependencies.metrics.requests, clock: dependencies.clock),
            IdentityErrorInterceptor(),
        ]
        if let security = TransportSecurityInterceptor(dependencies.configuration) {
            interceptors.insert(security, at: 0)
        }
        self.init(interceptors: interceptors)
        CookieSessionRoutes(dependencies: dependencies).add(to: &self)
        AccountRoutes(dependencies: dependencies).add(to: &self)
        PasskeyRoutes(dependencies: dependencies).add(to: &self)
        if !dependencies.upstreams.all.isEmpty { UpstreamRoutes(dependencies: dependencies).add(to: &self) }
        TokenRoutes(dependencies: dependencies).add(to: &self)
        AuthorizeRoutes(dependencies: dependencies).add(to: &self)
        LogoutRoutes(dependencies: dependencies).add(to: &self)
        DeviceRoutes(dependencies: dependencies).add(to: &self)
        UserInfoRoutes(dependencies: dependencies).add(to: &self)
        AppSessionRoutes(dependencies: dependencies).add(to: &self)
        if dependencies.configuration.hasUserService { addUserService(dependencies) }
        PageRoutes(dependencies: dependencies).add(to: &self)
        MetadataRoutes(dependencies: dependencies).add(to: &self)
        OperationRoutes(dependencies: dependencies).add(to: &self)
    }
}
