// SPDX-License-Identifier: Apache-2.0

/// A method as a type, so that routes which differ in nothing else are one.
public protocol RouteVerb {
    /// The method.
    static var method: HTTPMethod { get }
}

/// The methods whose requests have a content.
public enum RouteVerbs {
    /// POST.
    public enum Post: RouteVerb {
        /// POST.
        public static var method: HTTPMethod { .post }
    }

    /// PUT.
    public enum Put: RouteVerb {
        /// PUT.
        public static var method: HTTPMethod { .put }
    }

    /// PATCH.
    public enum Patch: RouteVerb {
        /// PATCH.
        public static var method: HTTPMethod { .patch }
    }
}
