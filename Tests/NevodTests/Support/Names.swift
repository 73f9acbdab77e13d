// SPDX-License-Identifier: Apache-2.0

import Nevod

// These tests see the core too, whose types have the same names.
typealias HTTPMethod = Nevod.HTTPMethod
typealias LogLevel = Nevod.LogLevel
typealias LoggingInterceptor = Nevod.LoggingInterceptor
typealias RateLimiter = Nevod.RateLimiter
typealias RetryPolicy = Nevod.RetryPolicy
typealias Route = Nevod.Route
