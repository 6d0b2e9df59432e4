import { featureLabels, metricsOf } from './metric.ts';

/** The attributes of a feature. */
export const attributeLabels = ['license_type', 'license_model', 'token_pool', 'token_source', 'mapped_to'] as const;

/** Info metrics, and which servers are up. */
export const infoMetrics = {
  ...metricsOf('default', ['vendor_license', 'server', 'daemon', 'owner'], {
    license_vendor_license_info:
      'Vendor license parsed from GetProducts.Product (server;daemon), with its owner and the other labels of the setting owners, always 1.',
  }),
  ...metricsOf('icons', ['vendor_license', 'mapping_icon', 'expired_icon'], {
    license_vendor_license_icon_info:
      'Icon names reported by GetProducts.MappingIcon and GetProducts.ExpiredIcon, always 1.',
  }),
  ...metricsOf('default', [...featureLabels, ...attributeLabels, 'owner'], {
    license_feature_info:
      'Attributes of a feature from GetFeatures (license_type is uncounted for each uncounted feature), with its owner and the other labels of the setting owners, always 1.',
  }),
  ...metricsOf('default', [...featureLabels, 'owner'], {
    license_feature_expiration_info:
      'Feature that GetExpirationFeatures reports and GetFeatures does not, with its owner and the other labels of the setting owners, always 1.',
  }),
  ...metricsOf('default', ['vendor_license'], {
    license_server_up:
      'Whether the license server sent data within the window of GetServerDown (30 minutes): 0 if listed there, 1 if not, absent while records of it that cannot be used may list it.',
  }),
  ...metricsOf('default', ['vendor_license', 'data'], {
    license_vendor_license_data_known:
      'Whether data of the vendor license is known now (server: whether its license server is down, collection: when its data was last collected, features: which features it has, usage: their usage, expirations: their expirations). While it is known, a missing series means that there is no such thing, or that the source of the analyzer does not know it.',
  }),
  ...metricsOf('default', ['vendor_license', 'qualifier'], {
    license_server_down_info:
      'Record reported by GetServerDown, with the optional third part of Label as qualifier, always 1 while reported.',
  }),
} as const;
